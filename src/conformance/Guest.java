import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A kernel that boots on an initramfs and runs until it powers off, prints nothing more, or panics. */
final class Guest {
  private static final long SILENCE_MILLIS = 300_000;

  private final Machine machine;
  private final Path kernel;
  private final String arguments;

  Guest(Machine machine, Path kernel, String arguments) {
    this.machine = machine;
    this.kernel = kernel;
    this.arguments = arguments;
  }

  /** Boots the kernel, and returns the lines on its console. */
  List<String> boot(Path initramfs, Path console) throws IOException, InterruptedException {
    Files.deleteIfExists(console);
    List<String> command = new ArrayList<>(machine.emulator);
    command.add("file:" + console);
    command.addAll(
        List.of("-accel", "tcg", "-smp", "1", "-m", "3072", "-nodefaults", "-display", "none"));
    command.addAll(List.of("-no-reboot", "-kernel", kernel.toString()));
    command.addAll(List.of("-initrd", initramfs.toString(), "-append", commandLine()));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectInput(nothing()).start();
    long last = System.currentTimeMillis();
    long size = -1;
    while (process.isAlive()) {
      Thread.sleep(200);
      long now = Files.exists(console) ? Files.size(console) : 0;
      last = now == size ? last : System.currentTimeMillis();
      size = now;
      if (System.currentTimeMillis() - last > SILENCE_MILLIS) {
        process.destroyForcibly().waitFor();
      }
    }
    if (!Files.exists(console)) {
      throw new IOException(new String(process.getInputStream().readAllBytes()).strip());
    }
    return Files.readString(console, StandardCharsets.ISO_8859_1).lines().toList();
  }

  private static ProcessBuilder.Redirect nothing() {
    return ProcessBuilder.Redirect.from(new File("/dev/null"));
  }

  /** Returns the kernel's command line: the console shows only a panic, and slow checks are off. */
  private String commandLine() {
    return "console="
        + machine.console
        + " rdinit=/init quiet loglevel=1 panic=-1 log_buf_len=8M mitigations=off audit=0"
        + " apparmor=0 nowatchdog no_timer_check "
        + arguments;
  }
}
