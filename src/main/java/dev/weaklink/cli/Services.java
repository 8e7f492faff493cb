package dev.weaklink.cli;

/** What the commands call; asked for only when needed, so that nothing else is loaded. */
interface Services {
  /** What judges. */
  CheckEngine checkEngine();

  /** What reads one module. */
  ModuleInspector moduleInspector();
}
