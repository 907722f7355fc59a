/** One case of the proof: tasks that run through Ansible and through the interpreter. */

export interface ProofCase {
  /** Unique; the play has this name. */
  readonly name: string
  /** Variables of the play. */
  readonly vars?: Readonly<Record<string, unknown>>
  readonly handlers?: readonly object[]
  readonly tasks: readonly object[]
}

/** The marks that the rescue leaves in the results. They are not compared. */
export const RESCUE = 'the case has failed'

/** A play whose failure does not end the plays after it, so that one process of Ansible can run many cases. */
export const toPlay = ({ name, vars = {}, handlers = [], tasks }: ProofCase): object => ({
  name,
  hosts: 'localhost',
  connection: 'local',
  gather_facts: false,
  vars,
  handlers,
  tasks: [{ block: tasks, rescue: [{ name: RESCUE, 'ansible.builtin.debug': { msg: RESCUE } }] }],
})
