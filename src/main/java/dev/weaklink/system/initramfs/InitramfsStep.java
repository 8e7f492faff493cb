package dev.weaklink.system.initramfs;

import java.util.List;

/**
 * A command that renews one kernel's initramfs, run once at the end of a transaction.
 *
 * @param command the program, absolute or looked up in the PATH, and its arguments; no shell sees
 *     them
 */
public record InitramfsStep(String kernel, List<String> command) {
  public InitramfsStep {
    command = List.copyOf(command);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("no command for " + kernel);
    }
  }
}
