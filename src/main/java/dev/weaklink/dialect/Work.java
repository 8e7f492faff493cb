package dev.weaklink.dialect;

import dev.weaklink.links.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What has been found to be done: changes of links, and the kernels they concern. */
final class Work {
  private final List<Change> changes = new ArrayList<>();
  private final Set<String> kernels = new TreeSet<>();

  void add(String kernel, List<Change> more) {
    changes.addAll(more);
    if (!more.isEmpty()) {
      kernels.add(kernel);
    }
  }

  /** Marks a kernel as changed even if none of its links is. */
  void changed(String kernel) {
    kernels.add(kernel);
  }

  List<Change> changes() {
    return changes;
  }

  /** Releases, sorted. */
  Set<String> kernels() {
    return kernels;
  }
}
