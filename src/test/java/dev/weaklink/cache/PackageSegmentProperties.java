package dev.weaklink.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.archive.HeldBytes;
import dev.weaklink.archive.PackageInfo;
import dev.weaklink.archive.PackageKind;
import dev.weaklink.archive.PackageRelation;
import dev.weaklink.module.Facts;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.testing.ModuleArbitraries;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What is kept of a package is what was found in it, or nothing. */
class PackageSegmentProperties {
  private static final FileIdentity FILE = Kept.identity(3);
  private static final PackageInfo NAMED =
      new PackageInfo(
          PackageKind.RPM,
          "kmod-m",
          "1-2",
          "m",
          List.of(new PackageRelation("ksym(a)", "=", "0x1")));
  private static final PackageInfo BARE = new PackageInfo(PackageKind.TAR, "", "", null, List.of());

  @Provide
  Arbitrary<PackageFacts> packages() {
    Arbitrary<KernelModule> modules = ModuleArbitraries.modules().map(Kept::read);
    Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
    return Combinators.combine(
            modules.list().ofMaxSize(3), bytes.list().ofMaxSize(2), Arbitraries.of(NAMED, BARE))
        .as(PackageSegmentProperties::facts);
  }

  static PackageFacts facts(List<KernelModule> modules, List<byte[]> files, PackageInfo owner) {
    List<PackageFacts.Entry> entries = new ArrayList<>();
    Origin.Owner said = PackageFacts.owner(owner);
    for (int i = 0; i < modules.size(); i++) {
      String path = "/m" + i + ".ko";
      PackagedModule module =
          new PackagedModule("/in.rpm!" + path, said, modules.get(i), null, List.of("f", "g"));
      entries.add(new PackageFacts.Entry(owner, "/in.rpm", path, module, null));
    }
    for (byte[] file : files) {
      entries.add(new PackageFacts.Entry(NAMED, "", "/boot/f", null, new HeldBytes(file)));
    }
    PackagedModule broken = PackagedModule.unreadable("/b.ko", said, "truncated");
    entries.add(new PackageFacts.Entry(owner, "", "/b.ko", broken, null));
    return new PackageFacts(entries, List.of(new PackageFacts.Problem("", "p")), null);
  }

  /** Everything in it as text. */
  private static String text(PackageFacts facts) {
    StringBuilder text = new StringBuilder(facts.problems().toString());
    for (PackageFacts.Entry entry : facts.entries()) {
      PackagedModule module = entry.module();
      HeldBytes held = entry.bytes();
      text.append(entry.owner()).append(entry.member());
      if (module != null) {
        KernelModule read = module.facts();
        text.append(module.member()).append(module.owner()).append(module.failure());
        text.append(module.runtimeSymbols()).append(read == null ? "-" : Facts.of(read));
      } else {
        text.append(List.of(Objects.requireNonNull(held).bytes().length));
        text.append(new java.math.BigInteger(1, held.bytes()));
      }
    }
    return text.toString();
  }

  private static PackageFacts read(byte[] bytes) throws CorruptSegmentException {
    return PackageSegment.read(bytes, Kept.PROGRAM, FILE, "given");
  }

  @Property(tries = 100)
  void whatComesOutIsWhatWentIn(@ForAll("packages") PackageFacts facts)
      throws CorruptSegmentException {
    PackageFacts found = read(PackageSegment.write(facts, FILE, Kept.PROGRAM));

    assertThat(text(found)).isEqualTo(text(facts));
    for (PackageFacts.Entry entry : found.entries()) {
      PackagedModule module = entry.module();
      if (module != null && module.facts() != null) {
        assertThat(module.facts().origin())
            .isEqualTo(new Origin("given", entry.member(), module.owner()));
      }
    }
  }

  @Property(tries = 200)
  void aFlippedBitIsNoticed(
      @ForAll("packages") PackageFacts facts,
      @ForAll @IntRange(min = 0) int place,
      @ForAll @IntRange(max = 7) int bit) {
    byte[] bytes = PackageSegment.write(facts, FILE, Kept.PROGRAM);
    bytes[place % bytes.length] ^= (byte) (1 << bit);

    assertThatThrownBy(() -> read(bytes)).isInstanceOf(CorruptSegmentException.class);
  }

  @Property(tries = 50)
  void everyPartOfThePackagesIdentityCounts(@ForAll("packages") PackageFacts facts) {
    byte[] bytes = PackageSegment.write(facts, FILE, Kept.PROGRAM);
    List<FileIdentity> others =
        List.of(
            new FileIdentity(9, FILE.inode(), FILE.size(), FILE.modified(), FILE.changed()),
            new FileIdentity(8, 1, FILE.size(), FILE.modified(), FILE.changed()),
            new FileIdentity(8, FILE.inode(), 1, FILE.modified(), FILE.changed()),
            new FileIdentity(8, FILE.inode(), FILE.size(), 1, FILE.changed()),
            new FileIdentity(8, FILE.inode(), FILE.size(), FILE.modified(), 1));

    for (FileIdentity other : others) {
      assertThatThrownBy(() -> PackageSegment.read(bytes, Kept.PROGRAM, other, "given"))
          .isInstanceOf(CorruptSegmentException.class);
    }
    assertThatThrownBy(() -> PackageSegment.read(bytes, Kept.PROGRAM + 1, FILE, "given"))
        .isInstanceOf(CorruptSegmentException.class);
  }
}
