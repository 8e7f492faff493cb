package dev.weaklink.rebuild;

import java.util.List;

/**
 * Who uses adapters, apart from modules.
 *
 * @param programs programs that keep the stack's own services from being stopped, such as opensm
 * @param openers programs that have a file below /dev/infiniband open
 * @param virtualFunctions devices that have virtual functions
 * @param iscsiSessions number of iSCSI sessions, over whatever transport
 */
public record Usage(
    List<String> programs, List<String> openers, List<String> virtualFunctions, int iscsiSessions) {
  public Usage {
    programs = List.copyOf(programs);
    openers = List.copyOf(openers);
    virtualFunctions = List.copyOf(virtualFunctions);
  }
}
