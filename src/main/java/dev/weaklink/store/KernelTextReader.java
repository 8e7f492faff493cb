package dev.weaklink.store;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what {@link KernelText} writes, and nothing that differs from it. */
final class KernelTextReader {
  private final byte[] data;
  private int at;
  private @Nullable String release;
  private @Nullable ElfIdentity machine;
  private @Nullable String vermagic;
  private long structModuleSize = -1;
  private final Map<LoaderRule, LoaderRules.Setting> rules = new EnumMap<>(LoaderRule.class);
  private final Set<String> builtIn = new HashSet<>();

  private KernelTextReader(byte[] data) {
    this.data = data;
  }

  static StoredKernel read(byte[] data) throws CorruptEntryException {
    KernelTextReader reader = new KernelTextReader(data);
    if (!KernelText.HEADER.equals(reader.line())) {
      throw new CorruptEntryException("is not a kernel stored by this version");
    }
    try {
      reader.head();
    } catch (IllegalArgumentException e) {
      throw new CorruptEntryException("has an invalid value", e);
    }
    return reader.kernel();
  }

  private void head() throws CorruptEntryException {
    for (String line = line(); !line.equals(KernelText.SYMVERS); line = line()) {
      int blank = line.indexOf(' ');
      if (blank < 0) {
        throw new CorruptEntryException("has an invalid line");
      }
      fact(line.substring(0, blank), line.substring(blank + 1));
    }
  }

  private void fact(String word, String value) throws CorruptEntryException {
    switch (word) {
      case KernelText.RELEASE -> release = value;
      case KernelText.MACHINE -> machine = machine(value.split(" ", -1));
      case KernelText.VERMAGIC -> vermagic = value;
      case KernelText.STRUCT_SIZE -> structModuleSize = Long.parseLong(value);
      case KernelText.BUILT_IN -> builtIn.add(value);
      case KernelText.RULE -> rule(value.split(" ", 4));
      default -> throw new CorruptEntryException("has an invalid line");
    }
  }

  private static ElfIdentity machine(String[] words) {
    if (words.length != 4) {
      throw new IllegalArgumentException("not four words");
    }
    return new ElfIdentity(
        Integer.parseInt(words[0]),
        words[1].equals("64"),
        words[2].equals(KernelText.LITTLE),
        Integer.parseInt(words[3]));
  }

  private void rule(String[] words) {
    for (LoaderRule rule : LoaderRule.values()) {
      if (words.length == 4 && rule.key().equals(words[0]) && rule.accepts(words[2])) {
        boolean assumed = words[1].equals(KernelText.ASSUMED);
        rules.put(rule, new LoaderRules.Setting(words[2], assumed, words[3]));
        return;
      }
    }
    throw new IllegalArgumentException("no such rule");
  }

  private StoredKernel kernel() throws CorruptEntryException {
    Symvers symvers = symvers();
    if (release == null
        || !StoredKernel.isPlainRelease(release)
        || !rules.containsKey(LoaderRule.VERSION)) {
      throw new CorruptEntryException("is not whole");
    }
    return new StoredKernel(
        release,
        machine,
        vermagic,
        structModuleSize,
        builtIn,
        LoaderRulesReader.completed(rules, release),
        symvers.exports());
  }

  private Symvers symvers() throws CorruptEntryException {
    byte[] rows = Arrays.copyOfRange(data, at, data.length);
    Symvers symvers = SymversReader.read(rows, rows.length);
    if (!symvers.problems().isEmpty() || symvers.exports().size() == 0) {
      throw new CorruptEntryException("has rows of exports that make no sense");
    }
    return symvers;
  }

  private String line() throws CorruptEntryException {
    int end = at;
    while (end < data.length && data[end] != '\n') {
      end++;
    }
    if (end == data.length) {
      throw new CorruptEntryException("is not whole");
    }
    String line = new String(data, at, end - at, StandardCharsets.UTF_8);
    at = end + 1;
    return line;
  }
}
