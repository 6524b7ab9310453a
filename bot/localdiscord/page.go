package localdiscord

import "net/http"

type viewer struct{}

func (v *viewer) close() {}

func (s *Server) pageRoutes() *http.ServeMux       { return http.NewServeMux() }
func (s *Server) broadcast(user string, event any) {}
func (s *Server) showMessage(m *message)           {}
func (s *Server) showInteraction(in *interaction)  {}
