package dev.weaklink;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.weaklink.cli.Main;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The arrows between packages, and who may use what. */
@AnalyzeClasses(packages = "dev.weaklink", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String BASE = "dev.weaklink.";

  @ArchTest
  static final ArchRule DEPENDENCIES_POINT_DOWNWARDS =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("cli")
          .definedBy(BASE + "cli..")
          .layer("showing")
          .definedBy(BASE + "report..")
          .layer("managing")
          .definedBy(packages("manage", "dialect", "build"))
          .layer("checking")
          .definedBy(BASE + "check..")
          .layer("doing")
          .definedBy(packages("audit", "links", "initramfs", "userspace"))
          .layer("deciding")
          .definedBy(packages("plan", "rules", "load", "explain", "rebuild"))
          .layer("facts")
          .definedBy(
              packages(
                  "source",
                  "tree",
                  "rpmdb",
                  "dkms",
                  "cache",
                  "module",
                  "image",
                  "signature",
                  "kernel",
                  "store",
                  "intake"))
          .layer("formats")
          .definedBy(packages("archive", "btf", "elf", "codec", "json", "nodeset"))
          .layer("system")
          .definedBy(packages("sys"))
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("showing")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("managing")
          .mayOnlyBeAccessedByLayers("cli", "showing")
          .whereLayer("checking")
          .mayOnlyBeAccessedByLayers("cli", "showing", "managing")
          .whereLayer("doing")
          .mayOnlyBeAccessedByLayers("cli", "showing", "managing", "checking")
          .whereLayer("deciding")
          .mayOnlyBeAccessedByLayers("cli", "showing", "managing", "checking", "doing")
          .whereLayer("facts")
          .mayOnlyBeAccessedByLayers("cli", "showing", "managing", "checking", "doing", "deciding")
          .whereLayer("formats")
          .mayOnlyBeAccessedByLayers(
              "cli", "showing", "managing", "checking", "doing", "deciding", "facts");

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().matching(BASE + "(*)..").should().beFreeOfCycles();

  @ArchTest static final ArchRule ONLY_ELF_KNOWS_JELF = only("elf", "net.fornwall..");

  @ArchTest
  static final ArchRule ONLY_SIGNATURE_KNOWS_CRYPTOGRAPHY = only("signature", "org.bouncycastle..");

  @ArchTest static final ArchRule ONLY_THE_COMMAND_LINE_KNOWS_PICOCLI = only("cli", "picocli..");

  /**
   * Streams: reports that are large, intake of nodes; rules are YAML; the rest has json's trees.
   */
  @ArchTest
  static final ArchRule ONLY_READERS_AND_WRITERS_OF_JSON_KNOW_JACKSON =
      noClasses()
          .that()
          .resideOutsideOfPackages(packages("json", "report", "intake", "rules.yaml"))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.fasterxml..", "org.yaml..");

  @ArchTest
  static final ArchRule RULES_DO_NOT_KNOW_HOW_THEY_ARE_READ =
      noClasses()
          .that()
          .resideInAPackage(BASE + "rules")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(BASE + "rules.yaml..");

  @ArchTest
  static final ArchRule ONLY_MAIN_ENDS_THE_PROCESS =
      noClasses()
          .that()
          .doNotBelongToAnyOf(Main.class)
          .should()
          .callMethod(System.class, "exit", int.class)
          .orShould()
          .callMethod(Runtime.class, "exit", int.class)
          .orShould()
          .callMethod(Runtime.class, "halt", int.class);

  @ArchTest
  static final ArchRule JUDGING_AND_PLANNING_ARE_PURE =
      noClasses()
          .that()
          .resideInAnyPackage(
              BASE + "load..",
              BASE + "plan..",
              BASE + "rules",
              BASE + "rebuild..",
              BASE + "nodeset..",
              BASE + "check.result..",
              BASE + "audit..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.io..", "java.nio.file..", "java.nio.channels..");

  /** A name in a message, a review or a search stands for one thing. */
  @ArchTest
  static void simpleNamesAreUnique(JavaClasses classes) {
    Map<String, Set<String>> byName = new TreeMap<>();
    for (JavaClass type : classes) {
      if (type.isTopLevelClass() && !type.getSimpleName().equals("package-info")) {
        byName.computeIfAbsent(type.getSimpleName(), name -> new TreeSet<>()).add(type.getName());
      }
    }
    assertThat(byName).allSatisfy((name, types) -> assertThat(types).hasSize(1));
  }

  private static ArchRule only(String owner, String library) {
    return noClasses()
        .that()
        .resideOutsideOfPackage(BASE + owner + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library);
  }

  private static String[] packages(String... names) {
    String[] packages = new String[names.length];
    for (int i = 0; i < names.length; i++) {
      packages[i] = BASE + names[i] + "..";
    }
    return packages;
  }
}
