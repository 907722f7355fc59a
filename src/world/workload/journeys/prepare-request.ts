/** Evaluates the target, headers and body of a step. */
import type { CompiledStep } from './compile-journeys.ts'

export interface PreparedRequest {
  readonly target: string
  readonly headers: Record<string, string>
  readonly body?: string
}

/** Also adds the names under `let` to the scope. */
export const prepareRequest = (step: CompiledStep, scope: Record<string, unknown>): PreparedRequest => {
  for (const [name, evaluate] of step.lets) scope[name] = evaluate(scope)
  const target = step.target(scope)
  const headers: Record<string, string> = {}
  for (const [name, evaluate] of step.headers) headers[name] = evaluate(scope)
  if (step.json !== undefined) {
    headers['content-type'] ??= 'application/json'
    return { target, headers, body: JSON.stringify(step.json(scope)) }
  }
  if (step.form === undefined) return { target, headers }
  headers['content-type'] ??= 'application/x-www-form-urlencoded'
  const fields = step.form.map(([name, evaluate]): [string, string] => [name, String(evaluate(scope))])
  return { target, headers, body: new URLSearchParams(fields).toString() }
}
