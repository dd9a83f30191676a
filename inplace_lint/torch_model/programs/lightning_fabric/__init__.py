"""Lightning Fabric under the name of its own distribution."""

from lightning.fabric import Fabric
