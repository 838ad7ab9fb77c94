import { EngineError } from '../../engine.ts'

/** The range was free a moment ago. */
export class SpaceTakenError extends EngineError {
  constructor(cause: unknown) {
    super('internal', 'Another network of this host took the addresses for project networks.', {
      retryable: true,
      cause,
    })
    this.name = 'SpaceTakenError'
  }
}
