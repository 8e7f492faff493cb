package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.rebuild.run.InstallationJournal.State;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are put into a root, broken off at every step, and taken out again. */
class InstalledFilesTest {
  private static final String REPLACED = "/lib/modules/6.1/extra/a/a.ko";
  private static final String NEW = "/lib/modules/6.1/extra/b/c/b.ko";
  private static final String OVERRIDE = "/etc/depmod.d/zz01-a.conf";

  @TempDir Path directory;
  private Path top;
  private Map<String, Path> files;
  private int runs;

  /** A process that ends here and now. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @BeforeEach
  void fill() throws IOException {
    top = Files.createDirectory(directory.resolve("root"));
    write(REPLACED, "before");
    write("/lib/modules/6.1/extra/others.ko", "others");
    files =
        Map.of(
            REPLACED, source("a", "after a"),
            NEW, source("b", "after b"),
            OVERRIDE, source("conf", "override a * extra"));
  }

  private void write(String inside, String text) throws IOException {
    Path file = top.resolve(inside.substring(1));
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Path source(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  /** Every path below the root, with the text of files. */
  private Map<String, String> tree() throws IOException {
    Map<String, String> tree = new TreeMap<>();
    try (Stream<Path> walk = Files.walk(top)) {
      for (Path path : walk.toList()) {
        boolean file = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
        tree.put(top.relativize(path).toString(), file ? Files.readString(path) : "");
      }
    }
    return tree;
  }

  private Path run() throws IOException {
    return Files.createDirectory(directory.resolve("run" + ++runs));
  }

  private void put(Path run, int steps) throws IOException {
    int[] left = {steps};
    new InstalledFiles(
            Root.of(top),
            run,
            step -> {
              if (left[0]-- == 0) {
                throw new Killed();
              }
            })
        .put(files);
  }

  private void takeBack(Path run, int steps) throws IOException {
    int[] left = {steps};
    InstallationJournal journal = InstallationJournal.read(run);
    if (journal != null) {
      InstalledFiles installed =
          new InstalledFiles(
              Root.of(top),
              run,
              step -> {
                if (left[0]-- == 0) {
                  throw new Killed();
                }
              });
      assertThat(installed.takeBack(journal)).isEmpty();
    }
  }

  @Test
  void whereverItIsBrokenOffAllCanBeTakenBack() throws IOException {
    Map<String, String> before = tree();
    int steps = 0;
    boolean ended = false;
    while (!ended) {
      Path run = run();
      try {
        put(run, steps);
        ended = true;
        assertThat(tree()).containsEntry(REPLACED.substring(1), "after a");
      } catch (Killed e) {
        steps++;
      }
      takeBack(run, Integer.MAX_VALUE);
      assertThat(tree()).as("broken off at step %d", steps).isEqualTo(before);
    }
    assertThat(steps).isGreaterThan(3 * files.size());
  }

  @Test
  void takingBackCanBeBrokenOffAndBegunAnew() throws IOException {
    Map<String, String> before = tree();
    for (int steps = 0; steps < files.size(); steps++) {
      Path run = run();
      put(run, Integer.MAX_VALUE);
      int at = steps;
      assertThatThrownBy(() -> takeBack(run, at)).isInstanceOf(Killed.class);
      takeBack(run, Integer.MAX_VALUE);
      takeBack(run, Integer.MAX_VALUE);
      assertThat(tree()).isEqualTo(before);
    }
  }

  @Test
  void theJournalSaysThatNothingIsFinishedYet() throws IOException {
    Path run = run();
    put(run, Integer.MAX_VALUE);
    InstallationJournal journal = InstallationJournal.read(run);
    assertThat(journal).isNotNull();
    assertThat(journal.state()).isEqualTo(State.INSTALLING);
    assertThat(journal.directories())
        .containsExactly(
            "/etc", "/etc/depmod.d", "/lib/modules/6.1/extra/b", "/lib/modules/6.1/extra/b/c");
    assertThat(journal.files()).extracting("inside").containsExactly(OVERRIDE, REPLACED, NEW);
  }

  @Test
  void nothingIsPutThroughALinkThatLeadsOut() throws IOException {
    Path outside = Files.createDirectory(directory.resolve("outside"));
    Files.createDirectories(top.resolve("lib/modules/6.1/extra"));
    Files.createSymbolicLink(top.resolve("lib/modules/6.1/extra/b"), outside);
    put(run(), Integer.MAX_VALUE);
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void aJournalOfOthersIsRefused() throws IOException {
    Path run = run();
    Files.writeString(run.resolve("installation"), "rm -rf /\n");
    assertThatThrownBy(() -> InstallationJournal.read(run))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("was not written by this program");
  }

  /** In an image a journal may be anybody's work, and so may be where it says what was kept. */
  @ParameterizedTest
  @ValueSource(strings = {"/etc/hostname", "../../outside/secret", "x"})
  void nothingFromElsewhereIsPutIntoAnImage(String kept) throws IOException {
    Path run = run();
    Files.createDirectories(run.resolve("replaced"));
    String journal = "state INSTALLED\nput 00 " + kept + " /lib/modules/6.1/extra/stolen\n";
    Files.writeString(run.resolve("installation"), journal);
    assertThatThrownBy(() -> takeBack(run, Integer.MAX_VALUE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("was not written by this program");
    assertThat(top.resolve("lib/modules/6.1/extra/stolen")).doesNotExist();
  }

  @Test
  void whatWasKeptIsNotTakenThroughALink() throws IOException {
    Path run = run();
    Path outside = Files.createDirectory(directory.resolve("outside"));
    Files.writeString(outside.resolve("0"), "secret");
    Files.createSymbolicLink(run.resolve("replaced"), outside);
    Files.writeString(
        run.resolve("installation"), "state INSTALLED\nput 00 0 /lib/modules/6.1/extra/stolen\n");
    assertThatThrownBy(() -> takeBack(run, Integer.MAX_VALUE)).isInstanceOf(IOException.class);
    assertThat(top.resolve("lib/modules/6.1/extra/stolen")).doesNotExist();
  }
}
