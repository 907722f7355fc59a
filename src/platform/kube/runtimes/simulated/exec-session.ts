/** Runs commands in simulated containers. */
import type { Readable } from 'node:stream'
import type { ExecOptions, ExecResult } from '#platform/kube/ports'
import type { ContainerModel } from './container-model.ts'

const readAll = async (stream: Readable | undefined): Promise<string> => {
  if (stream === undefined) return ''
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

/** An unknown program fails with the OCI runtime's message. */
export const runExec = async (model: ContainerModel, options: ExecOptions): Promise<ExecResult> => {
  const { command, stdin, stdout, stderr } = options
  const answer = model.exec?.(command, model.exec === undefined ? '' : await readAll(stdin))
  if (answer === undefined) {
    stderr?.write(
      `OCI runtime exec failed: exec failed: unable to start container process: exec: "${command[0] ?? ''}": executable file not found in $PATH: unknown\n`,
    )
    return { exitCode: 126 }
  }
  if (answer.stdout !== undefined) stdout?.write(answer.stdout)
  if (answer.stderr !== undefined) (options.tty ? stdout : stderr)?.write(answer.stderr)
  return { exitCode: answer.exitCode }
}
