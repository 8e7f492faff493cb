package dev.weaklink.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.kernel.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.SymversWriter;
import dev.weaklink.testing.SymversBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelStoreTest {
  private static final String RELEASE = "6.1.0-9-test";

  @TempDir Path directory;
  private KernelStore store;

  @BeforeEach
  void open() {
    store = new KernelStore(directory.resolve("kernels"));
  }

  private static StoredKernel kernel(String release, int crc) {
    byte[] rows =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, crc)
            .kernel("fput", SymversBuilder.Kind.EXPORT_SYMBOL_GPL, 7)
            .bytes();
    LoaderRules rules =
        LoaderRulesReader.read(
            new LoaderEvidence(release, null, null, null, Map.of(LoaderRule.FORCE_LOAD, "yes")));
    return new StoredKernel(
        release,
        new ElfIdentity(ElfIdentity.EM_S390, true, false, -5),
        release + " SMP mod_unload ",
        1234,
        Set.of("ext4", "loop"),
        rules,
        SymversReader.read(rows, rows.length).exports());
  }

  private Path only() throws IOException {
    assertThat(store.entries()).hasSize(1);
    return store.entries().get(0).file();
  }

  @Test
  void aRuleThatWasNotKnownWhenAKernelWasKeptIsConcludedFromItsVersion() throws Exception {
    String text =
        """
        weaklink-kernel/1
        release 6.1.0-7
        rule version seen 6.1 release 6.1.0-7
        rule force-load seen yes CONFIG_MODULE_FORCE_LOAD
        symvers
        0x1	a	vmlinux	EXPORT_SYMBOL
        """;
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    Path file = Files.write(directory.resolve("given"), packed.toByteArray());

    LoaderRules rules = store.read(store.add(file)).rules();
    assertThat(rules.setting(LoaderRule.FORCE_LOAD).evidence()).contains("CONFIG");
    assertThat(rules.setting(LoaderRule.ELF_CHECKS).value()).isEqualTo("sections");
  }

  @Test
  void whatWasKeptComesBackAsItWas() throws IOException {
    StoredKernel kernel = kernel(RELEASE, 5);
    StoredKernel back = store.read(store.put(kernel));
    assertThat(back).usingRecursiveComparison().ignoringFields("exports").isEqualTo(kernel);
    assertThat(SymversWriter.write(back.exports()))
        .isEqualTo(SymversWriter.write(kernel.exports()));
  }

  @Test
  void aKernelOfWhichLittleIsKnownComesBackToo() throws IOException {
    StoredKernel full = kernel(RELEASE, 5);
    StoredKernel little =
        new StoredKernel(RELEASE, null, null, -1, Set.of(), full.rules(), full.exports());
    StoredKernel back = store.read(store.put(little));
    assertThat(back.machine()).isNull();
    assertThat(back.vermagic()).isNull();
    assertThat(back.structModuleSize()).isEqualTo(-1);
  }

  @Test
  void theSameKernelIsKeptOnceAndAnotherOfTheSameReleaseBesides() throws IOException {
    StoreEntry first = store.put(kernel(RELEASE, 5));
    assertThat(store.put(kernel(RELEASE, 5))).isEqualTo(first);
    StoreEntry second = store.put(kernel(RELEASE, 6));
    assertThat(store.named(RELEASE)).containsExactlyInAnyOrder(first, second);
    assertThat(store.named(second.name())).containsExactly(second);
    assertThat(store.named("6.1.0-9")).isEmpty();
  }

  @Test
  void entriesAreListedFromOldToNew() throws IOException {
    for (String release : List.of("6.1.0-10-test", "6.12.1", "6.1.0-9-test")) {
      store.put(kernel(release, 5));
    }
    assertThat(store.entries())
        .extracting(StoreEntry::release)
        .containsExactly("6.1.0-9-test", "6.1.0-10-test", "6.12.1");
  }

  @Test
  void aStoreThatIsNotThereIsEmpty() throws IOException {
    assertThat(store.entries()).isEmpty();
    assertThat(store.directory()).doesNotExist();
  }

  @Test
  void damageAtAnyPlaceIsNoticedAndMendedByKeepingItAgain() throws IOException {
    StoreEntry entry = store.put(kernel(RELEASE, 5));
    byte[] intact = Files.readAllBytes(entry.file());
    Random random = new Random(1);
    for (int place = 10; place < intact.length; place++) {
      byte[] damaged = intact.clone();
      damaged[place] ^= (byte) (1 + random.nextInt(255));
      Files.write(entry.file(), damaged);
      assertThatThrownBy(() -> store.read(entry))
          .as("byte %d", place)
          .isInstanceOf(CorruptEntryException.class);
    }
    store.put(kernel(RELEASE, 5));
    assertThat(Files.readAllBytes(entry.file())).isEqualTo(intact);
  }

  @Test
  void anEntryUnderAnothersNameIsCorruptAndTheOthersAreListed() throws IOException {
    StoreEntry other = store.put(kernel("6.1.0-10-test", 5));
    Path moved = store.directory().resolve(StoreEntry.fileName(RELEASE, other.digest()));
    Files.copy(other.file(), moved);
    StoreListing listing = store.list();
    assertThat(listing.kernels()).extracting(kept -> kept.entry()).containsExactly(other);
    assertThat(listing.corrupt())
        .extracting(StoreListing.Corrupt::reason)
        .containsExactly("is not what its name says");
  }

  @Test
  void linksAndOtherFilesAreNoEntries() throws IOException {
    StoreEntry entry = store.put(kernel(RELEASE, 5));
    Path outside = directory.resolve("outside");
    Files.move(entry.file(), outside);
    Files.createSymbolicLink(entry.file(), outside);
    Files.writeString(store.directory().resolve("readme"), "hello");
    assertThat(store.entries()).isEmpty();
    store.put(kernel(RELEASE, 5));
    assertThat(Files.isSymbolicLink(only())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../x", "a/b", ".hidden", "a b", "a\nb", "a@b"})
  void aReleaseThatIsNoPlainNameIsNotKept(String release) {
    StoredKernel kernel = kernel(RELEASE, 5);
    StoredKernel renamed =
        new StoredKernel(release, null, null, -1, Set.of(), kernel.rules(), kernel.exports());
    assertThatThrownBy(() -> store.put(renamed)).isInstanceOf(IOException.class);
    assertThat(store.directory()).doesNotExist();
  }

  @Test
  void aTextThatWouldMakeALineOfItsOwnStaysInItsLine() throws IOException {
    StoredKernel kernel = kernel(RELEASE, 5);
    StoredKernel hostile =
        new StoredKernel(
            RELEASE,
            null,
            "x\nbuilt-in evil",
            -1,
            Set.of("a\nsymvers"),
            kernel.rules(),
            kernel.exports());
    StoredKernel back = store.read(store.put(hostile));
    assertThat(back.vermagic()).isEqualTo("x?built-in evil");
    assertThat(back.builtIn()).containsExactly("a?symvers");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "weaklink-kernel/1",
        "weaklink-kernel/1\nsymvers\n",
        "weaklink-kernel/1\nrelease 6.1\nsymvers\n0x1\ta\tvmlinux\tEXPORT_SYMBOL\t\n",
        "weaklink-kernel/1\nmachine 62\nsymvers\n",
        "weaklink-kernel/1\nrule nonsense seen yes x\nsymvers\n",
        "weaklink-kernel/1\nstruct-module-size many\nsymvers\n",
        "weaklink-kernel/2\nsymvers\n",
      })
  void aFileThatIsNotWholeIsNotTaken(String text) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    Path file = Files.write(directory.resolve("given"), packed.toByteArray());
    assertThatThrownBy(() -> store.add(file)).isInstanceOf(CorruptEntryException.class);
  }

  @Test
  void whatIsLeftOfADeadWriterIsRemovedAndThatOfALivingOneStays() throws IOException {
    Files.createDirectories(store.directory());
    Path dead = Files.writeString(store.directory().resolve(".new-999999999"), "x");
    Path alive =
        Files.writeString(store.directory().resolve(".new-" + ProcessHandle.current().pid()), "x");
    store.removeUnfinished();
    assertThat(dead).doesNotExist();
    assertThat(alive).exists();
  }
}
