/** `xenoncli xenon ping`: whether the xenon of this pod answers; `xenoncli raft status`: what it says of itself. */
import { endWith } from './ending/end-with.ts'
import { askLine, XENON_PORT } from './xenon-raft/members.ts'

const QUESTIONS: Readonly<Record<string, string>> = { 'xenon ping': 'ping', 'raft status': 'state' }

const run = async (): Promise<string> => {
  const words = process.argv.slice(2).join(' ')
  const question = QUESTIONS[words]
  if (question === undefined) throw new Error(`unknown command "${words}" for "xenoncli"`)
  return askLine('127.0.0.1', Number(process.env.XENON_PORT ?? XENON_PORT), question)
}

run().then(
  (answer) => endWith(0, `${answer}\n`),
  (error: Error) => endWith(1, '', `${error.message}\n`),
)
