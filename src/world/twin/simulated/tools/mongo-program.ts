/** The programs `mongo` and `mongosh` in a simulated container. */
import { type SimulatedProgram, UnsupportedCommand } from '#spec'
import { runMongoShell, type ShellGlobals } from '#world/twin/tool-cores'
import { openSimulatedMongoConnection } from '../stores/simulated-mongodb.ts'
import { STORE_CORES } from '../stores/store-cores.ts'
import { connectToStore } from '../stores/store-link.ts'
import { evaluateShellStatement } from './evaluate-shell-statement.ts'

const { ObjectId } = STORE_CORES.mongodb

/** The CPU time that Node.js takes to start and to run a short script. */
const CPU_MS = 60

/** Rejects with an `UnsupportedCommand` if a statement is not one of the usual ones. */
export const mongoProgram: SimulatedProgram = async (host) => {
  await host.cpu.use(CPU_MS)
  let refusal: UnsupportedCommand | undefined
  const evaluate = (statement: string, globals: ShellGlobals): unknown => {
    try {
      return evaluateShellStatement(statement, globals, host.time.now)
    } catch (error) {
      if (error instanceof UnsupportedCommand) refusal = error
      throw error
    }
  }
  const { code, out, err } = await runMongoShell(host.args, {
    open: async ({ host: name, port, user, password, authenticationDatabase }) => {
      const connection = await connectToStore(host, { address: async () => ({ host: name, port }) })
      return openSimulatedMongoConnection(host, connection, { user, password }, authenticationDatabase)
    },
    readInput: async () => host.input,
    evaluate,
    createId: (hex) => new ObjectId(hex),
    now: host.time.now,
  })
  if (refusal !== undefined) throw refusal
  host.write(out)
  host.writeError(err)
  host.exit(code)
}
