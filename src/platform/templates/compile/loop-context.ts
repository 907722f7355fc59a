/** The variable `loop` in the body of a `for`. */
import { equals } from '../python/compare.ts'
import { typeError } from '../python/python-error.ts'
import { Undefined } from '../python/undefined.ts'
import { Callable, Tuple } from '../python/value.ts'

export class LoopContext {
  readonly pythonModule = 'jinja2.runtime'
  readonly #items: readonly unknown[]
  #last: Tuple | undefined
  index0 = -1

  constructor(items: readonly unknown[]) {
    this.#items = items
  }

  get pythonType(): string {
    return 'LoopContext'
  }

  attribute(name: string): unknown {
    const { index0 } = this
    const { length } = this.#items
    switch (name) {
      case 'index0':
        return index0
      case 'index':
        return index0 + 1
      case 'length':
        return length
      case 'revindex':
        return length - index0
      case 'revindex0':
        return length - index0 - 1
      case 'first':
        return index0 === 0
      case 'last':
        return index0 === length - 1
      case 'depth':
        return 1
      case 'depth0':
        return 0
      case 'previtem':
        return index0 === 0 ? new Undefined({ hint: 'there is no previous item' }) : this.#items[index0 - 1]
      case 'nextitem':
        return index0 === length - 1
          ? new Undefined({ hint: 'there is no next item' })
          : this.#items[index0 + 1]
      case 'cycle':
        return new Callable('loop.cycle', (args) => this.#cycle(args))
      case 'changed':
        return new Callable('loop.changed', (args) => this.#changed(args))
      default:
        return undefined
    }
  }

  #cycle(args: readonly unknown[]): unknown {
    if (args.length === 0) throw typeError('no items for cycling given')
    return args[this.index0 % args.length]
  }

  #changed(args: readonly unknown[]): boolean {
    const value = new Tuple(args)
    if (this.#last !== undefined && equals(this.#last, value)) return false
    this.#last = value
    return true
  }
}
