package dev.weaklink.store;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.SymversWriter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;

/**
 * Writes a kept kernel: lines of a word and what it says, then the line {@code symvers} and the
 * rows of a Module.symvers. The same kernel always gives the same bytes.
 */
final class KernelText {
  static final String HEADER = "weaklink-kernel/1";
  static final String RELEASE = "release";
  static final String MACHINE = "machine";
  static final String VERMAGIC = "vermagic";
  static final String STRUCT_SIZE = "struct-module-size";
  static final String RULE = "rule";
  static final String BUILT_IN = "built-in";
  static final String SYMVERS = "symvers";
  static final String SEEN = "seen";
  static final String ASSUMED = "assumed";
  static final String LITTLE = "little";
  static final String BIG = "big";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 20);

  private KernelText() {}

  static byte[] of(StoredKernel kernel) {
    KernelText text = new KernelText();
    text.facts(kernel);
    text.rules(kernel.rules());
    for (String name : new TreeSet<>(kernel.builtIn())) {
      text.line(BUILT_IN, name);
    }
    text.write(SYMVERS + "\n");
    byte[] rows = SymversWriter.write(kernel.exports());
    text.out.write(rows, 0, rows.length);
    return text.out.toByteArray();
  }

  private void facts(StoredKernel kernel) {
    write(HEADER + "\n");
    line(RELEASE, kernel.release());
    ElfIdentity machine = kernel.machine();
    if (machine != null) {
      String order = machine.littleEndian() ? LITTLE : BIG;
      int bits = machine.is64() ? 64 : 32;
      line(MACHINE, machine.machine() + " " + bits + " " + order + " " + machine.flags());
    }
    if (kernel.vermagic() != null) {
      line(VERMAGIC, kernel.vermagic());
    }
    if (kernel.structModuleSize() >= 0) {
      line(STRUCT_SIZE, Long.toString(kernel.structModuleSize()));
    }
  }

  private void rules(LoaderRules rules) {
    for (LoaderRule rule : LoaderRule.values()) {
      LoaderRules.Setting setting = rules.setting(rule);
      String how = setting.assumed() ? ASSUMED : SEEN;
      line(RULE, rule.key() + " " + how + " " + setting.value() + " " + setting.evidence());
    }
  }

  /** What comes from a file must not make lines of its own. */
  private void line(String word, String value) {
    StringBuilder line = new StringBuilder(word).append(' ');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      line.append(c < ' ' || c == 0x7f ? '?' : c);
    }
    write(line.append('\n').toString());
  }

  private void write(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.write(bytes, 0, bytes.length);
  }
}
