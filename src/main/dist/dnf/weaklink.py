"""Before dnf4 installs kernel packages: which products need a rebuild for them."""

import subprocess

import dnf

HOOK = "/usr/lib/weaklink/kernel-hook"
BLOCKED = 100


class Weaklink(dnf.Plugin):
    name = "weaklink"

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
                "weaklink: stopped, as /etc/weaklink/weaklink.conf has gate = block"
            )
