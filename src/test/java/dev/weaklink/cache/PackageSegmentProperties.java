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
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.testing.ModuleArbitraries;
import java.util.ArrayList;
import java.util.List;
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
    Origin.Owner said = PackageFacts.owner(owner);
    List<PackagedModule> found = new ArrayList<>();
    for (int i = 0; i < modules.size(); i++) {
      String path = "/m" + i + ".ko";
      RuntimeNames runtime = new RuntimeNames(List.of("f", "g"), List.of("m-%s"));
      found.add(new PackagedModule(owner, said, "/in.rpm", path, modules.get(i), null, runtime));
    }
    found.add(new PackagedModule(owner, said, "", "/b.ko", null, "truncated", RuntimeNames.NONE));
    List<PackageFacts.KernelFile> held = new ArrayList<>();
    for (byte[] file : files) {
      held.add(new PackageFacts.KernelFile(NAMED, "/in!/boot/f", "/boot/f", new HeldBytes(file)));
    }
    return new PackageFacts(found, held, List.of(new PackageFacts.Problem("", "p")), null);
  }

  /** Everything in it as text. */
  private static String text(PackageFacts facts) {
    StringBuilder text = new StringBuilder(facts.problems().toString());
    for (PackagedModule module : facts.modules()) {
      KernelModule read = module.facts();
      text.append(module.info()).append(module.container()).append(module.path());
      text.append(module.owner()).append(module.failure());
      text.append(module.runtime()).append(read == null ? "-" : Facts.of(read));
    }
    for (PackageFacts.KernelFile file : facts.files()) {
      text.append(file.info()).append(file.member()).append(file.path());
      text.append(file.bytes().bytes().length);
      text.append(new java.math.BigInteger(1, file.bytes().bytes()));
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
    for (PackagedModule module : found.modules()) {
      if (module.facts() != null) {
        assertThat(module.facts().origin())
            .isEqualTo(new Origin("given", module.member(), module.owner()));
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
