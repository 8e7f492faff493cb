package dev.weaklink.check;

import dev.weaklink.check.result.InputProblem;
import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.Limits;
import dev.weaklink.source.FoundFile;
import dev.weaklink.sys.BackgroundTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The reading of the first usable one of some symvers files. */
final class SymversReading {
  private record Result(@Nullable UsableSymvers usable, List<InputProblem> problems) {}

  private final List<FoundFile> files;
  private final @Nullable BackgroundTask<Result> started;

  private SymversReading(List<FoundFile> files, @Nullable BackgroundTask<Result> started) {
    this.files = files;
    this.started = started;
  }

  /** They are read when asked for, and not before. */
  static SymversReading later(List<FoundFile> files) {
    return new SymversReading(files, null);
  }

  /** They are read from now on, while the caller looks for a kernel's modules. */
  static SymversReading start(List<FoundFile> files) {
    if (files.isEmpty()) {
      return later(files);
    }
    BackgroundTask<Result> started =
        BackgroundTask.start(
            new Callable<>() {
              @Override
              public Result call() {
                List<InputProblem> problems = new ArrayList<>();
                UsableSymvers usable =
                    UsableSymvers.first(files, new FileContents(Limits.TEXT), problems);
                return new Result(usable, problems);
              }
            });
    return new SymversReading(files, started);
  }

  /**
   * The file and what it says.
   *
   * @param contents room to read into
   * @param problems takes what is wrong with the files tried
   * @return null if none is usable
   */
  @Nullable UsableSymvers result(FileContents contents, List<InputProblem> problems) {
    if (started == null) {
      return UsableSymvers.first(files, contents, problems);
    }
    Result result = started.get();
    problems.addAll(result.problems());
    return result.usable();
  }
}
