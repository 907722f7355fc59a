/** Values that must not be rendered as templates, because they come from outside the play. */

/** Ansible marks the results of tasks and lookups in this way: text with `{{ }}` in them stays unchanged. */
export class UnsafeValue {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}
