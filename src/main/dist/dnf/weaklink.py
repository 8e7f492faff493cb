"""For dnf4: skips kernels that 'weaklink hold' holds, and prints before the installation of kernel packages
what the drivers need on the new kernels."""

import glob
import json
import os
import stat
import subprocess
import sys

import dnf

HOOK = "/usr/lib/weaklink/kernel-hook"
HELD = "/var/lib/weaklink/hold.json"
LARGEST = 4 << 20
BLOCKED = 100


class Weaklink(dnf.Plugin):
    name = "weaklink"

    def sack(self):
        """Excludes held packages before dnf resolves dependencies. A failure here never makes dnf fail."""
        if self.base.conf.installroot != "/":
            return
        try:
            self._renew()
            held = self._held()
            query = self.base.sack.query().filterm(pkg=[])
            for one in held:
                query = query.union(self._offered(one))
            if query:
                self.base.sack.add_excludes(query)
        except Exception as e:
            print("weaklink: no kernel is held: %s" % ascii(str(e)), file=sys.stderr)

    def _offered(self, one):
        """Returns the offered packages of this name and version, never installed ones."""
        name, version, architecture = one["package"], one["version"], one["architecture"]
        query = self.base.sack.query().available()
        if not name.startswith("kernel"):
            return query.filterm(pkg=[])
        epoch, colon, rest = version.rpartition(":")
        version, _, release = rest.partition("-")
        return query.filterm(
            name=name,
            epoch=int(epoch or 0),
            version=version,
            release=release,
            arch=architecture,
        )

    def _renew(self):
        """Renews the holds if metadata is newer; the hook does nothing without 'hold = yes'."""
        if os.geteuid() != 0 or not os.access(HOOK, os.X_OK):
            return
        newest = 0
        for file in glob.glob(
            os.path.join(glob.escape(self.base.conf.cachedir), "*/repodata/repomd.xml")
        ):
            newest = max(newest, os.stat(file).st_ctime)
        if not os.path.exists(HELD) or os.stat(HELD).st_mtime <= newest:
            subprocess.call([HOOK, "hold"], stdin=subprocess.DEVNULL)

    def _held(self):
        try:
            with open(HELD, "rb") as file:
                status = os.fstat(file.fileno())
                if status.st_uid != 0 or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    raise OSError("other users can write to %s; renew it with: weaklink hold" % HELD)
                hold = json.loads(file.read(LARGEST).decode("utf-8"))
        except FileNotFoundError:
            return []
        return hold["packages"] if hold["manager"] != "apt" and hold["done"] is True else []

    def transaction(self):
        """Renews the holds, because the transaction may have changed modules."""
        if self.base.conf.installroot == "/" and os.path.exists(HELD):
            try:
                subprocess.call([HOOK, "renew"], stdin=subprocess.DEVNULL)
            except OSError:
                pass  # weaklink itself may just have been removed

    def pre_transaction(self):
        if self.base.conf.installroot != "/":
            return
        files = [
            package.localPkg()
            for package in self.base.transaction.install_set
            if package.name.startswith("kernel")
        ]
        if not files:
            return
        try:
            status = subprocess.call([HOOK, "gate"] + files, stdin=subprocess.DEVNULL)
        except OSError:
            return  # the hook is gone, or nothing can be started: no reason to stop
        if status == BLOCKED:
            raise dnf.exceptions.Error(
                "weaklink: the transaction is stopped, because /etc/weaklink/weaklink.conf contains 'gate = block'"
            )
