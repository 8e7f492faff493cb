package dev.weaklink.system.initramfs;

import java.util.List;

/**
 * How an image is regenerated; it is only shown, never done here.
 *
 * @param command the command and its arguments, as seen from inside the root; empty if no tool is
 *     there
 * @param words what to do, for people
 */
public record Renewal(List<String> command, String words) {
  public Renewal {
    command = List.copyOf(command);
  }
}
