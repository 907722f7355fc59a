/** `xenoncli xenon ping`: whether the xenon of this pod answers; `xenoncli raft status`: what it says of itself. */
import { askLine, XENON_PORT } from './xenon-raft/members.ts'

const QUESTIONS: Readonly<Record<string, string>> = { 'xenon ping': 'ping', 'raft status': 'state' }

const run = async (): Promise<void> => {
  const words = process.argv.slice(2).join(' ')
  const question = QUESTIONS[words]
  if (question === undefined) throw new Error(`unknown command "${words}" for "xenoncli"`)
  const answer = await askLine('127.0.0.1', Number(process.env.XENON_PORT ?? XENON_PORT), question)
  process.stdout.write(`${answer}\n`)
}

run().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
