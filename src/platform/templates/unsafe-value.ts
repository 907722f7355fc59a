/** Values that must not be rendered as templates, because they come from outside of the play. */

/** Ansible treats the results of tasks and lookups this way: text with `{{ }}` in them stays as it is. */
export class UnsafeValue {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}
