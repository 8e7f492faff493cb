package dev.weaklink.cli;

/** Puts the program together. */
final class Wiring implements Services {
  @Override
  public CheckEngine checkEngine() {
    throw new UnsupportedOperationException("no engine yet");
  }

  @Override
  public ModuleInspector moduleInspector() {
    throw new UnsupportedOperationException("no inspector yet");
  }
}
