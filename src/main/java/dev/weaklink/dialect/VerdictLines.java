package dev.weaklink.dialect;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Says which modules a kernel would load, in words that scripts look for. */
final class VerdictLines {
  private final Streams streams;

  VerdictLines(Streams streams) {
    this.streams = streams;
  }

  void say(String kernel, List<ModuleLink> tried, List<Rejection> rejections) throws IOException {
    Set<String> rejected = new HashSet<>();
    for (Rejection rejection : rejections) {
      rejected.add(rejection.link().place());
      String symbols = String.join(" ", rejection.symbols());
      streams.say(
          subject(rejection.link())
              + "is not compatible with kernel "
              + kernel
              + " in symbols:  "
              + symbols);
    }
    for (ModuleLink link : tried) {
      if (!rejected.contains(link.place())) {
        streams.say(subject(link) + "is compatible with kernel " + kernel);
      }
    }
  }

  private static String subject(ModuleLink link) {
    return "Module " + link.fileName() + " from kernel " + link.release() + " ";
  }
}
