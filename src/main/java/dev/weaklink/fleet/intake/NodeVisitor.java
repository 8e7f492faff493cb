package dev.weaklink.fleet.intake;

import dev.weaklink.sys.InputProblem;

/** Takes what is found, in the order of the input. */
public interface NodeVisitor {
  /**
   * One node.
   *
   * @param name a name that can be a member of a node set
   */
  void node(String name, NodeInventory inventory);

  /** Something that cannot be used. */
  void problem(InputProblem problem);

  /** Something that is no part of any node's inventory, and costs none. */
  default void remark(InputProblem remark) {
    problem(remark);
  }
}
