package dev.weaklink.cli;

import dev.weaklink.check.CheckEngine;
import dev.weaklink.check.Checker;
import dev.weaklink.check.ModuleInspector;
import dev.weaklink.check.SingleModule;
import dev.weaklink.links.TransactionSettings;

/** What the commands call and tests replace. */
interface Services {
  /** Those of the program. */
  Services REAL = new Services() {};

  /** What judges. */
  default CheckEngine checkEngine() {
    return new Checker();
  }

  /** What reads one module. */
  default ModuleInspector moduleInspector() {
    return new SingleModule();
  }

  /** How links are changed. */
  default TransactionSettings transactions() {
    return TransactionSettings.DEFAULT;
  }
}
