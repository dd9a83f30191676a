"""Check many repositories on a Dask cluster, and print what is found in each.

    python lint_fleet.py REPOSITORY... [--scheduler ADDRESS]

Without an address, a cluster is started on this machine.
"""

from __future__ import annotations

import argparse

from distributed import Client, as_completed

from inplace_lint import Result, lint_paths


def lint_repository(path: str) -> Result:
    """Runs on a worker, in one process: others are at work on other repositories."""
    return lint_paths([path], jobs=1)


def lint_fleet(client: Client, repositories: list[str]) -> dict[str, Result]:
    """The findings in each repository; the workers must see the folders."""
    futures = {client.submit(lint_repository, path, pure=False): path for path in repositories}
    results = {futures[future]: future.result() for future in as_completed(futures)}
    return {path: results[path] for path in repositories}


def main() -> None:
    """Read the command line, and print a line for each finding."""
    parser = argparse.ArgumentParser(description="Check many repositories on a Dask cluster.")
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--scheduler", help="address of the scheduler, such as tcp://10.0.0.1:8786")
    options = parser.parse_args()
    with Client(options.scheduler) if options.scheduler else Client() as client:
        for path, result in lint_fleet(client, options.repositories).items():
            print(f"{path}: {len(result.files)} files, {len(result.diagnostics)} findings")
            for each in result.diagnostics:
                print(f"  {each.site.path}:{each.site.span.row}: {each.code} {each.message}")


if __name__ == "__main__":
    main()
