package dev.weaklink.cli;

import dev.weaklink.check.CheckEngine;
import dev.weaklink.check.Checker;
import dev.weaklink.check.ImageInspector;
import dev.weaklink.check.KernelInspector;
import dev.weaklink.check.ModuleInspector;
import dev.weaklink.check.SingleModule;

/** Puts the program together. */
final class Wiring implements Services {
  @Override
  public CheckEngine checkEngine() {
    return new Checker();
  }

  @Override
  public ModuleInspector moduleInspector() {
    return new SingleModule();
  }

  @Override
  public KernelInspector kernelInspector() {
    return new ImageInspector();
  }
}
