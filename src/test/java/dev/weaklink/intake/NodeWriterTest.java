package dev.weaklink.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written is read as it was. */
class NodeWriterTest {
  private static final String MODULE =
      "{\"kernel\":\"k1\",\"name\":\"a\",\"path\":\"/lib/modules/k1/extra/\\ud800a\\u00e9.ko\"";

  private static NodeLine read(String line, ModuleTables tables) throws MalformedNodeException {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return NodeLine.parse(bytes, 0, bytes.length, tables);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"kernels\":[],\"modules\":[]",
        "\"running\":\"k1\",\"ofed\":\"MLNX-24\",\"kernels\":[{\"release\":\"k1\",\"installed\":true},{\"release\":\"k2\",\"installed\":false}],\"modules\":[]",
        "\"kernels\":[],\"modules\":["
            + MODULE
            + ",\"used\":false,\"link\":\"../x\",\"file\":\"/y\",\"digest\":\"sha256:1\",\"version\":\"2\",\"srcversion\":\"3\",\"vermagic\":\"4\",\"signature\":\"PKCS#7\",\"signer\":\"me\",\"signerKey\":\"66:F5\",\"crcs\":\"sha256:0\"},"
            + MODULE
            + "}]",
        "\"kernels\":[],\"modules\":[],\"loaded\":[{\"name\":\"a\",\"srcversion\":\"b\",\"taint\":\"OE\"},{\"name\":\"c\"}],\"dkms\":[{\"module\":\"a\",\"version\":\"1\"}],\"packages\":[{\"name\":\"akmod-x\",\"version\":\"2\"}]",
        "\"kernels\":[],\"modules\":[],\"security\":{\"secureBoot\":\"enabled\"},\"problems\":[{\"path\":\"/a\",\"reason\":\"b\"},{\"path\":\"/c\",\"reason\":\"d\"}]",
        "\"kernels\":[],\"modules\":[],\"userspace\":{\"library\":\"/usr/lib/libibverbs.so.1\",\"findings\":[{\"id\":\"userspace.device-abi\",\"subject\":\"mlx5_0\",\"detail\":\"a\",\"packages\":\"b 1\"},{\"id\":\"userspace.new\",\"subject\":\"c\",\"detail\":\"d\"}]}",
        "\"kernels\":[],\"modules\":[],\"userspace\":{\"findings\":[]}",
        "\"kernels\":[],\"modules\":[],\"security\":{\"lockdown\":\"confidentiality\"}",
        "\"kernels\":[],\"modules\":[],\"security\":{\"enforced\":true}",
      })
  void inventoriesAreReadAsTheyWere(String keys) throws IOException {
    NodeInventory told =
        read("{\"schema\":\"weaklink.node/1\"," + keys + "}", new ModuleTables()).inventory();
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    NodeWriter.write("cn1", told, null, written);
    NodeLine again = read(written.toString(StandardCharsets.UTF_8), new ModuleTables());
    assertThat(again.inventory()).isEqualTo(told);
    assertThat(again.node()).isEqualTo("cn1");
  }

  /** The table of a module of ppc64, whose names have dots, and that of another with its digest. */
  @ParameterizedTest
  @ValueSource(strings = {"0x11223344 .kfree", "0x1 ..x", "0xfedcba9876543210 \\u00e9"})
  void tablesAreReadAsTheyWere(String entry) throws IOException {
    String line =
        "{\"schema\":\"weaklink.node/1\",\"kernels\":[],\"modules\":["
            + MODULE
            + ",\"digest\":\"sha256:1\",\"crcs\":\"%s\"}],\"tables\":[{\"file\":\"sha256:1\",\"versions\":[\""
            + entry
            + "\"],\"exports\":[]}]}";
    ModuleTables tables = new ModuleTables();
    read(line.formatted("x"), tables);
    ReportedTable told = tables.find("sha256:1");
    ReportedTable right = written(line.formatted(told.digest()), "sha256:1");
    assertThat(right.crcs()).isEqualTo(told.crcs());
    assertThat(right.versions().name(0)).isEqualTo(told.versions().name(0));
    assertThat(right.exports().size()).isZero();
  }

  private static ReportedTable written(String line, String file) throws IOException {
    ModuleTables tables = new ModuleTables();
    NodeInventory told = read(line, tables).inventory();
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    NodeWriter.write(null, told, tables, written);
    ModuleTables again = new ModuleTables();
    NodeInventory copy = read(written.toString(StandardCharsets.UTF_8), again).inventory();
    assertThat(copy.modules().get(0).crcs()).isNull();
    return again.find(file);
  }
}
