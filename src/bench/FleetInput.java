import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/**
 * Makes the input of a large fleet: {@code FleetInput DIRECTORY NODES SETS KERNELS OWN} writes KERNELS symvers files
 * into DIRECTORY, and prints an inventory for each of NODES nodes. The nodes have SETS different sets of 30 modules in
 * turn. Of 100 sets, OWN are refused for a reason that no other set has; the others are rebuilds of 300 kinds. From
 * one kernel to the next, the CRC of one symbol in 400 changes.
 */
final class FleetInput {
  private static final int SYMBOLS = 400;
  private static final int MODULES = 30;
  private static final int IMPORTS = 12;
  private static final int KINDS = 300;

  private final int kernels;
  private final int own;
  private final int[][] crcs;

  private FleetInput(int kernels, int own) {
    this.kernels = kernels;
    this.own = own;
    this.crcs = new int[kernels][SYMBOLS];
    Random random = new Random(5);
    for (int kernel = 0; kernel < kernels; kernel++) {
      for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        boolean changes = kernel == 0 || random.nextInt(SYMBOLS) == 0;
        crcs[kernel][symbol] = changes ? random.nextInt() : crcs[kernel - 1][symbol];
      }
    }
  }

  public static void main(String[] args) throws IOException {
    FleetInput fleet = new FleetInput(Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    Path directory = Path.of(args[0]);
    Files.createDirectories(directory);
    for (int kernel = 0; kernel < fleet.kernels; kernel++) {
      Files.writeString(directory.resolve("k" + kernel), fleet.symvers(kernel));
    }
    int nodes = Integer.parseInt(args[1]);
    int sets = Integer.parseInt(args[2]);
    byte[][] bare = new byte[sets][];
    try (OutputStream out =
        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 20)) {
      for (int node = 0; node < nodes; node++) {
        int set = node % sets;
        out.write(("{\"schema\":\"weaklink.node/1\",\"node\":\"cn" + node + "\",").getBytes());
        if (node < sets) {
          bare[set] = fleet.line(set, false);
        }
        out.write(node < sets ? fleet.line(set, true) : bare[set]);
      }
    }
  }

  private String symvers(int kernel) {
    StringBuilder text = new StringBuilder();
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
      text.append(hex(crcs[kernel][symbol])).append("\tsym_").append(symbol);
      text.append("\tvmlinux\tEXPORT_SYMBOL\t\n");
    }
    return text.append(hex(7)).append("\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t\n").toString();
  }

  private byte[] line(int set, boolean full) {
    int kind = set % KINDS;
    int kernel = kind % kernels;
    String release = "5.14.0-" + kernel + ".el9.x86_64";
    Random random = new Random(set);
    boolean isOwn = random.nextInt(100) < own;
    StringBuilder modules = new StringBuilder();
    StringBuilder tables = new StringBuilder();
    for (int module = 0; module < MODULES; module++) {
      String name = "mod" + kind / kernels + "_" + module;
      String file = "sha256:%056x%08x".formatted(set, module);
      String versions = versions(name, kernel, isOwn && module % 7 == 0 ? random : null);
      String comma = module == 0 ? "" : ",";
      modules.append(comma).append(
          ("{\"kernel\":\"%1$s\",\"name\":\"%2$s\",\"path\":\"/lib/modules/%1$s/extra/%2$s.ko\","
                  + "\"used\":true,\"digest\":\"%3$s\",\"version\":\"24.10.%4$d\","
                  + "\"srcversion\":\"%5$024X\",\"vermagic\":\"%1$s SMP mod_unload modversions \","
                  + "\"crcs\":\"sha256:%6$s\",\"signature\":\"none\"}")
              .formatted(release, name, file, set, set * 31 + module, digest(versions)));
      tables.append(comma).append("{\"file\":\"").append(file).append("\",\"versions\":[");
      tables.append(versions).append("],\"exports\":[]}");
    }
    return ("\"running\":\"%1$s\",\"security\":{},\"kernels\":[{\"release\":\"%1$s\",\"installed\":true}],"
            + "\"modules\":[%2$s],\"loaded\":[],\"dkms\":[],\"packages\":[]%3$s,\"missing\":[],"
            + "\"problems\":[]}\n")
        .formatted(release, modules, full ? ",\"tables\":[" + tables + "]" : "")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private String versions(String module, int kernel, Random changed) {
    Random imports = new Random(module.hashCode());
    StringBuilder text = new StringBuilder("\"" + hex(7) + " module_layout\"");
    for (int i = 0; i < IMPORTS; i++) {
      int symbol = imports.nextInt(SYMBOLS);
      int crc = changed != null && i == 0 ? changed.nextInt() : crcs[kernel][symbol];
      text.append(",\"").append(hex(crc)).append(" sym_").append(symbol).append('"');
    }
    return text.toString();
  }

  /** Returns the digest of these versions, as 'modprobe --dump-modversions' prints them. */
  private static String digest(String versions) {
    String dump = versions.replace("\",\"", "\n").replace("\"", "").replace(' ', '\t') + '\n';
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(dump.getBytes());
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String hex(int crc) {
    return "0x%08x".formatted(crc);
  }
}
