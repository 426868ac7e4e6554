# SPDX-License-Identifier: Apache-2.0
# For Spack 1.0 and later, from a source tree: spack repo add packaging/spack; spack dev-build numaprof@0.1.0
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Numaprof(MakefilePackage):
    """Names the thread that suffers from remote NUMA memory, the data, and the line of the initialisation that is to
    blame; prints the fix and measures what it gave."""

    license("Apache-2.0")

    version("0.1.0")  # no tarball is published yet, so there is neither address nor checksum

    depends_on("c", type="build")
    depends_on("elfutils")
    depends_on("libpfm4")
    depends_on("sqlite")
    depends_on("bzip2")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type=("build", "run"))
    depends_on("py-prometheus-client@0.14:", type=("build", "run"))
    depends_on("py-protobuf@4.21:", type=("build", "run"))

    requires("platform=linux")

    # PACKAGES=none: Spack has the libraries. SYSTEM_PYTHON: pages have no charts, which need a package from PyPI.
    @property
    def settings(self):
        return ["PACKAGES=none", f"SYSTEM_PYTHON={self.spec['python'].command.path}", f"PREFIX={self.prefix}"]

    @property
    def build_targets(self):
        return [*self.settings, "all"]

    @property
    def install_targets(self):
        return [*self.settings, "install"]
