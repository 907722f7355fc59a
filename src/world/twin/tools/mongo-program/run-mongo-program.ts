/** Runs the MongoDB shell as a process: statements from `--eval` or stdin on one connection. */
import { loadMongoConnection } from '#world/twin/stores'
import { runMongoShell } from '#world/twin/tool-cores'
import { exitWith } from '../exit/exit-with.ts'
import { readInput } from '../process-input/read-input.ts'
import { evaluateWithVm } from './evaluate-with-vm.ts'

/** Exits with 1 after an error. */
export const runMongoProgram = async (args: readonly string[]): Promise<void> => {
  const { openMongoConnection, ObjectId } = await loadMongoConnection()
  const { code, out, err } = await runMongoShell(args, {
    open: ({ host, port, user, password, authenticationDatabase }) =>
      openMongoConnection(
        { address: async () => ({ host, port }), login: { user, password } },
        authenticationDatabase,
      ),
    readInput,
    evaluate: evaluateWithVm,
    createId: (hex) => new ObjectId(hex),
    now: Date.now,
  })
  exitWith(code, out, err)
}
