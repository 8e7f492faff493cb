import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Loads modules in a kernel, in as many boots as necessary. */
final class Questions {
  private static final long MOST_BYTES = 400L << 20;
  private static final int MOST_MODULES = 200;

  private final Guest guest;
  private final Modules modules;
  private final byte[] init;
  private final Path scratch;

  Questions(Guest guest, Modules modules, byte[] init, Path scratch) {
    this.guest = guest;
    this.modules = modules;
    this.init = init;
    this.scratch = scratch;
  }

  /**
   * Returns the answers for all of these files, in their order.
   *
   * @param mostBoots the number of boots after which modules without an answer are left out; each
   *     crash costs a boot
   */
  List<Answer> ask(List<Path> files, int mostBoots) throws IOException, InterruptedException {
    Answer[] answers = new Answer[files.size()];
    Set<Integer> again = new HashSet<>();
    int boots = 0;
    int failures = 0;
    while (next(answers) < answers.length && boots < mostBoots) {
      long start = System.currentTimeMillis();
      Path initramfs = scratch.resolve("initramfs");
      int asked = prepare(initramfs, files, answers);
      Transcript transcript = new Transcript(guest.boot(initramfs, scratch.resolve("console")));
      int answered = transcript.put(answers, again);
      failures = transcript.began() ? 0 : failures + 1;
      if (failures > 2) {
        throw new IOException("the kernel did not start: see " + scratch.resolve("console"));
      }
      System.err.printf(
          "boot %d: %d modules offered, %d answered, %d s%n",
          ++boots, asked, answered, (System.currentTimeMillis() - start) / 1000);
    }
    for (int i = next(answers); i < answers.length; i = next(answers)) {
      answers[i] = new Answer("NOT-ASKED", List.of());
    }
    return List.of(answers);
  }

  private static int next(Answer[] answers) {
    int i = 0;
    while (i < answers.length && answers[i] != null) {
      i++;
    }
    return i;
  }

  /** Writes an initramfs with the next modules that have no answer yet, and returns their number. */
  private int prepare(Path initramfs, List<Path> files, Answer[] answers) throws IOException {
    StringBuilder plan = new StringBuilder();
    Set<String> packed = new HashSet<>();
    int asked = 0;
    try (Cpio cpio = new Cpio(initramfs)) {
      cpio.file("init", init);
      for (String directory : List.of("dev", "own", "asked")) {
        cpio.directory(directory);
      }
      for (int i = 0; i < answers.length && asked < MOST_MODULES && cpio.size() < MOST_BYTES; i++) {
        if (answers[i] == null) {
          plan.append(offer(cpio, i, files.get(i), packed)).append('\n');
          asked++;
        }
      }
      cpio.file("plan", plan.toString().getBytes(StandardCharsets.UTF_8));
    }
    return asked;
  }

  private String offer(Cpio cpio, int number, Path file, Set<String> packed) throws IOException {
    byte[] contents = Modules.read(file);
    String name = Modules.name(file.toString());
    cpio.file("asked/" + number, contents);
    List<String> fields = new ArrayList<>(List.of("" + number, "/asked/" + number, name));
    for (String needed : needed(contents, name)) {
      String afresh = modules.isReplacing(modules.file(needed)) ? "!" : "";
      fields.add(afresh + needed + "=/own/" + needed);
      if (packed.add(needed)) {
        cpio.file("own/" + needed, Modules.read(modules.file(needed)));
      }
    }
    return String.join("\t", fields);
  }

  private List<String> needed(byte[] contents, String name) throws IOException {
    Set<String> symbols = Modules.undefined(contents);
    if (symbols.isEmpty() && modules.file(name) != null) {
      // A damaged module needs the same modules as its original.
      symbols = Modules.undefined(Modules.read(modules.file(name)));
    }
    return modules.neededFor(symbols, name);
  }

  /** Returns the modules, other than the kernel's own, that are loaded before a module. */
  List<Path> loadedFirst(Path file) throws IOException {
    return needed(Modules.read(file), Modules.name(file.toString())).stream()
        .map(modules::file)
        .filter(modules::isReplacing)
        .toList();
  }
}
