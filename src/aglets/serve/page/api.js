// What the server can be asked, read from its own description.

function element(tag, options = {}, ...children) {
  const made = Object.assign(document.createElement(tag), options);
  made.append(...children);
  return made;
}

function example(method, path, body) {
  const address = `${location.origin}${path}`;
  if (!body) return `curl ${address}`;
  const [kind, { example: text }] = Object.entries(body.content)[0];
  const data = typeof text === "string" ? text : JSON.stringify(text);
  return `curl -X ${method.toUpperCase()} -H 'Content-Type: ${kind}' --data-binary '${data}' ${address}`;
}

const found = await (await fetch("/openapi.json")).json();
for (const [path, methods] of Object.entries(found.paths)) {
  for (const [method, call] of Object.entries(methods)) {
    document
      .getElementById("calls")
      .append(
        element(
          "section",
          { className: "explanation" },
          element("h2", { textContent: `${method.toUpperCase()} ${path}` }),
          element("p", { textContent: call.summary }),
          element(
            "pre",
            {},
            element("code", { textContent: example(method, path, call.requestBody) }),
          ),
        ),
      );
  }
}
