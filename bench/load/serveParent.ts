/** Answers the parent's messages one by one, each with `{result}` or `{error}`; exits with the parent. */
export const serveParent = <Request, Result>(
  answer: (request: Request) => Result | Promise<Result>,
): void => {
  process.on("message", (request: Request) => {
    Promise.resolve(request)
      .then(answer)
      .then(
        (result) => process.send?.({ result }),
        (error: unknown) => process.send?.({ error: String(error) }),
      )
  })
  process.once("disconnect", () => process.exit())
}
