import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** Writes damaged copies of modules: SEED COUNT DIRECTORY MODULE... */
final class Mutate {
  private Mutate() {}

  public static void main(String[] args) throws IOException {
    long seed = Long.parseLong(args[0]);
    int count = Integer.parseInt(args[1]);
    StringBuilder manifest = new StringBuilder();
    for (int i = 0; i < count; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      Path source = Path.of(args[3 + random.nextInt(args.length - 3)]);
      ModuleMutator.Mutant mutant = new ModuleMutator(random).mutate(Files.readAllBytes(source));
      Path file = Path.of(args[2], String.format("%05d", i), source.getFileName().toString());
      Files.createDirectories(file.getParent());
      Files.write(file, mutant.module());
      manifest.append(file).append('\t').append(mutant.change()).append('\n');
    }
    Files.writeString(Path.of(args[2], "manifest.tsv"), manifest);
  }
}
