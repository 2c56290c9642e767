// A small MCP server in Go, of the standard library alone: what Go's runtime asks of the kernel differs from what C
// libraries ask (threads by clone, signals to preempt, its own resolver, pidfds for children).
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string            `json:"protocolVersion"`
		Name            string            `json:"name"`
		Arguments       map[string]string `json:"arguments"`
	} `json:"params"`
}

type object = map[string]any

// write leaves a file in the folder and one in each place a program may expect to be its own.
func write(arguments map[string]string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	for _, folder := range []string{arguments["folder"], home, os.TempDir()} {
		file, err := os.CreateTemp(folder, "go-server-*")
		if err != nil {
			return "", err
		}
		_, err = file.WriteString("by Go")
		if err = errors.Join(err, file.Close()); err != nil {
			return "", err
		}
		defer os.Remove(file.Name())
	}
	return "written", os.WriteFile(filepath.Join(arguments["folder"], "made"), []byte("by Go"), 0o644)
}

// run starts a program and hands back what it prints.
func run(arguments map[string]string) (string, error) {
	out, err := exec.Command("/bin/sh", "-c", arguments["script"]).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// connect opens connections to a listener of its own from many goroutines, while the garbage collector interrupts them.
func connect(map[string]string) (string, error) {
	const connections = 200
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connection.Close()
		}
	}()
	var group sync.WaitGroup
	failures := make(chan error, connections)
	for range connections {
		group.Add(1)
		go func() {
			defer group.Done()
			runtime.GC()
			connection, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				failures <- err
				return
			}
			connection.Close()
		}()
	}
	group.Wait()
	select {
	case err = <-failures:
		return "", err
	default:
	}
	interfaces, err := net.Interfaces()
	if err != nil || len(interfaces) == 0 {
		return "", fmt.Errorf("no interfaces: %v", err)
	}
	return fmt.Sprintf("%d connections", connections), nil
}

var tools = map[string]func(map[string]string) (string, error){"write": write, "run": run, "connect": connect}

func list() object {
	all := []object{}
	for name := range tools {
		all = append(all, object{"name": name, "inputSchema": object{"type": "object"}})
	}
	return object{"tools": all}
}

func call(asked request) object {
	text, err := "", errors.New("no such tool")
	if tool := tools[asked.Params.Name]; tool != nil {
		text, err = tool(asked.Params.Arguments)
	}
	if err != nil {
		text += err.Error()
	}
	return object{"content": []object{{"type": "text", "text": text}}, "isError": err != nil}
}

func answer(asked request) object {
	reply := object{"jsonrpc": "2.0", "id": asked.ID}
	switch asked.Method {
	case "initialize":
		reply["result"] = object{
			"protocolVersion": "2025-06-18",
			"capabilities":    object{"tools": object{}},
			"serverInfo":      object{"name": "go", "version": "1"},
		}
	case "ping":
		reply["result"] = object{}
	case "tools/list":
		reply["result"] = list()
	case "tools/call":
		reply["result"] = call(asked)
	default:
		reply["error"] = object{"code": -32601, "message": "no such method"}
	}
	return reply
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil || asked.ID == nil {
			continue
		}
		if err := out.Encode(answer(asked)); err != nil {
			return
		}
	}
}
