package dev.weaklink.cli;

import dev.weaklink.check.CheckEngine;
import dev.weaklink.check.InitramfsInspector;
import dev.weaklink.check.KernelInspector;
import dev.weaklink.check.ModuleInspector;
import dev.weaklink.links.TransactionSettings;

/** What the commands call; asked for only when needed, so that nothing else is loaded. */
interface Services {
  /** What judges. */
  CheckEngine checkEngine();

  /** What reads one module. */
  ModuleInspector moduleInspector();

  /** What reads kernel images. */
  KernelInspector kernelInspector();

  /** What looks into initramfs images. */
  InitramfsInspector initramfsInspector();

  /** How links are changed. */
  default TransactionSettings transactions() {
    return TransactionSettings.DEFAULT;
  }
}
