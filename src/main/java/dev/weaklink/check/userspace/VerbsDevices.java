package dev.weaklink.check.userspace;

import dev.weaklink.check.userspace.UserspaceFinding.Kind;
import dev.weaklink.sys.RootText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The RDMA devices of a running system against what its libraries support. */
record VerbsDevices(List<String> served, List<UserspaceFinding> findings) {
  private static final String CLASS = "/sys/class/infiniband_verbs";

  /** IB_USER_VERBS_MIN_ABI_VERSION and ..._MAX_... of rdma-core's libibverbs/kern-abi.h. */
  private static final int LOWEST = 3;

  private static final int HIGHEST = 6;
  private static final int LIMIT = 4096;

  /**
   * Compares them as libibverbs/init.c does: check_abi_version and match_device.
   *
   * @param tables what providers register, by provider
   */
  static VerbsDevices judge(RootText text, Map<String, ProviderTable> tables) {
    VerbsDevices devices = new VerbsDevices(new ArrayList<>(), new ArrayList<>());
    String core = text.read(CLASS + "/abi_version", LIMIT).strip();
    if (isNumber(core) && (number(core) < LOWEST || number(core) > HIGHEST)) {
      devices.add(
          Kind.KERNEL_ABI,
          CLASS + "/abi_version",
          "the kernel's is " + core + ", libibverbs supports " + LOWEST + " to " + HIGHEST);
    }
    for (String name : text.names(CLASS)) {
      String directory = CLASS + "/" + name;
      String device = text.read(directory + "/ibdev", LIMIT).strip();
      String abi = text.read(directory + "/abi_version", LIMIT).strip();
      if (!device.isEmpty() && isNumber(abi)) {
        String modalias = text.read(directory + "/device/modalias", LIMIT).strip();
        devices.device(device, number(abi), modalias, tables);
      }
    }
    return devices;
  }

  private static boolean isNumber(String text) {
    return text.matches("[0-9]{1,9}");
  }

  private static long number(String text) {
    return Long.parseLong(text);
  }

  private void device(String device, long abi, String modalias, Map<String, ProviderTable> tables) {
    for (Map.Entry<String, ProviderTable> entry : tables.entrySet()) {
      ProviderTable table = entry.getValue();
      if (!table.matches("rdma_device:N" + device) && !table.matches(modalias)) {
        continue;
      }
      String supports = entry.getKey() + " supports " + table.lowest() + " to " + table.highest();
      if (abi < table.lowest() || abi > table.highest()) {
        add(Kind.DEVICE_ABI, device, "its driver's ABI is " + abi + ", " + supports);
      } else {
        served.add(device + ": ABI " + abi + ", " + supports);
      }
      return;
    }
    served.add(device + ": ABI " + abi + ", provider unknown");
  }

  private void add(Kind kind, String subject, String detail) {
    findings.add(UserspaceFinding.of(kind, subject, detail, List.of()));
  }
}
