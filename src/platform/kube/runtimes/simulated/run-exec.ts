/** Runs commands in simulated containers. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { ExecNotStarted, type ExecOptions, type ExecResult } from '#platform/kube/ports'
import type { ContainerModel } from './container-model.ts'

const readAll = async (stream: Readable | undefined): Promise<string> => {
  if (stream === undefined) return ''
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

/** Rejects with ExecNotStarted if the program is unknown. */
export const runExec = async (model: ContainerModel, options: ExecOptions): Promise<ExecResult> => {
  const { command, stdin, stdout, stderr } = options
  const output = model.exec?.(command, model.exec === undefined ? '' : await readAll(stdin))
  if (output === undefined) {
    const id = createHash('sha256').update(command.join(' ')).digest('hex')
    const program = JSON.stringify(command[0] ?? '')
    throw new ExecNotStarted(
      id,
      `exec failed: unable to start container process: exec: ${program}: executable file not found in $PATH`,
    )
  }
  if (output.stdout !== undefined) stdout?.write(output.stdout)
  if (output.stderr !== undefined) (options.tty ? stdout : stderr)?.write(output.stderr)
  return { exitCode: output.exitCode }
}
