package dev.weaklink.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Promise;
import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Results below /tmp lie in directories of the run's own. */
class ResultSearchTest {
  private static final Instant START = Instant.now().minusSeconds(1);
  private static final Promise PROMISE =
      new Promise.Files(List.of("/tmp"), "result-search-test-", List.of(".rpm"));

  private Path directory;

  @BeforeEach
  void make() throws IOException {
    directory = Files.createTempDirectory(Path.of("/tmp"), "DOCA.");
  }

  @AfterEach
  void remove() throws IOException {
    DurableFiles.deleteTree(directory);
  }

  private List<Path> found() throws IOException {
    return new ResultSearch(directory, START).find(PROMISE, List.of());
  }

  @Test
  void theDirectoryOfTheRunIsLookedThroughAndThoseOfOthersAreNot() throws IOException {
    Path below = Files.createDirectories(directory.resolve("a/b"));
    Path result = Files.createFile(below.resolve("result-search-test-1.rpm"));
    Files.setLastModifiedTime(directory, FileTime.from(START));
    assertThat(found()).containsExactly(result);
    Files.setLastModifiedTime(directory, FileTime.from(START.minusSeconds(1)));
    assertThat(found()).isEmpty();
  }

  @Test
  void filesFromBeforeDoNotCount() throws IOException {
    Path result = Files.createFile(directory.resolve("result-search-test-1.rpm"));
    Files.setLastModifiedTime(result, FileTime.from(START.minusSeconds(1)));
    assertThat(found()).isEmpty();
  }
}
