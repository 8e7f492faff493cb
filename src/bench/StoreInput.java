import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Random;

/**
 * Makes a large store: {@code StoreInput FROM TO KERNELS} adds KERNELS variants of the first kernel of the store FROM
 * to the store TO. From one kernel to the next, one CRC in 200 changes; with every twentieth kernel, one in three, as
 * in a minor release. Some symbols are added and removed. Run it with the program's classes.
 */
final class StoreInput {
  private StoreInput() {}

  public static void main(String[] args) throws IOException {
    KernelStore from = new KernelStore(Path.of(args[0]));
    KernelStore to = new KernelStore(Path.of(args[1]));
    TargetKernel first = from.read(from.entries().get(0));
    Random random = new Random(7);
    ExportTable exports = first.exports();
    for (int kernel = 0; kernel < Integer.parseInt(args[2]); kernel++) {
      int odds = kernel % 20 == 19 ? 3 : 200;
      int[] crcs = new int[exports.size()];
      for (int row = 0; row < crcs.length; row++) {
        crcs[row] = random.nextInt(odds) == 0 ? random.nextInt() : exports.crc(row);
      }
      BitSet gone = new BitSet();
      gone.set(random.nextInt(crcs.length));
      exports = exports.with(crcs, gone, ExportTable.EMPTY);
      String release = "6.1." + kernel + "-amd64";
      to.put(
          new TargetKernel(
              release,
              release,
              first.machine(),
              first.vermagic(),
              first.structModuleSize(),
              exports,
              true,
              false,
              first.image(),
              first.rules(),
              first.ownBuilds()),
          null);
    }
  }
}
