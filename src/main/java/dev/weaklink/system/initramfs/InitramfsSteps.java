package dev.weaklink.system.initramfs;

import java.util.List;

/**
 * What is to be done about the images of changed kernels, sorted by kernel. The texts are one line
 * each; they may hold a root's file names and are to be escaped when they are shown.
 *
 * @param steps commands to run at the end of the transaction
 * @param notes what the administrator may want to run inside an image root
 * @param problems images that the administrator has to decide about
 */
public record InitramfsSteps(List<InitramfsStep> steps, List<String> notes, List<String> problems) {
  public InitramfsSteps {
    steps = List.copyOf(steps);
    notes = List.copyOf(notes);
    problems = List.copyOf(problems);
  }
}
