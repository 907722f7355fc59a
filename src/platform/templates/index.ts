/** Evaluates Jinja templates and conditions of playbooks exactly as Ansible does, without executing code that they contain. */
export * from './create-templates.ts'
export { Dict } from './python/dict.ts'
export { isTruthy } from './python/truth.ts'
export { Float } from './python/value.ts'
export * from './template-error.ts'
export * from './unsafe-value.ts'
