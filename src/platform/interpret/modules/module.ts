/** The contract of modules: their input, their result, and their failures. */
import type { KubeApi, KubeDiscovery } from '#spec'
import type { Values } from '../load/playbook-tree.ts'
import type { Commands } from '../ports.ts'
import type { Pace } from '../run/pace.ts'
import type { Templar } from '../run/templar.ts'

/** The result of a task, as `register` keeps it. Keys that begin with `_ansible_` are internal. */
export type Result = Record<string, unknown>

export interface ModuleCall {
  /** The module as written in the playbook. */
  readonly action: string
  readonly taskName: string
  /** Rendered; the module may change them. */
  readonly args: Record<string, unknown>
  readonly rawArgs: Values
  readonly templar: Templar
  readonly isCheckMode: boolean
  readonly api: KubeApi
  readonly discovery: KubeDiscovery
  readonly commands: Commands | undefined
  readonly pace: Pace
  /** Prints a line, as `pause` does. */
  print(line: string): void
}

export interface Module {
  /** Where the module runs, which determines its duration: in Ansible's process, or in a separate one. */
  readonly runsIn: 'ansible' | 'process' | 'kubernetes'
  run(call: ModuleCall): Promise<Result>
}

/** Thrown to end a module early, as `fail_json` and `exit_json` do. */
export class ModuleEnded extends Error {
  readonly result: Result

  constructor(result: Result) {
    super(String(result.msg ?? ''))
    this.result = result
  }
}

/** Ends the module with a failure. */
export const fail = (msg: unknown, fields: Result = {}): never => {
  throw new ModuleEnded({ ...fields, failed: true, msg })
}

/** A failure that an action plugin raises. */
export const failAction = (msg: string): never => {
  throw new ModuleEnded({ failed: true, msg, exception: 'NoneType: None\n' })
}

/** The last line of a Python traceback. */
export class PythonError extends Error {
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

/** The result of a module that ended with an exception. The stack frames of the traceback are omitted. */
export const crash = ({ type, message }: PythonError): Result => {
  const traceback = `Traceback (most recent call last):\n${type}: ${message}\n`
  return {
    failed: true,
    msg: 'MODULE FAILURE\nSee stdout/stderr for the exact error',
    module_stdout: '',
    module_stderr: traceback,
    exception: traceback,
    rc: 1,
  }
}
