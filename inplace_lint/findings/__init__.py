"""What rules find and users read: findings, diagnostics, cures, comments that suppress them."""
